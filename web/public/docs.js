// Draws docs-table.js: a section a kind, and for each row its line of code and the live element that it makes.
import { table } from './docs-table.js';

const words = {
  en: {
    title: '<kv-scope>, all of it',
    lead: 'One line of HTML, and a language model runs in your text. Below, each of its settings at work: press Run.',
    first: 'Once a page:',
    article: 'Article',
    other: ['한국어', 'ko'],
    attributes: 'Attributes',
    properties: 'Properties and methods',
    events: 'Events',
    slots: 'Slots',
    parts: 'CSS parts',
    customProperties: 'Custom properties',
    listens: 'Events so far',
    does: 'Do it',
  },
  ko: {
    title: '<kv-scope>의 모든 것',
    lead: 'HTML 한 줄이면 글 안에서 언어 모델이 돕니다. 아래는 설정 하나하나가 실제로 움직이는 모습입니다. 실행을 눌러 보세요.',
    first: '페이지에 한 번:',
    article: '글',
    other: ['English', 'en'],
    attributes: '속성',
    properties: '프로퍼티와 메서드',
    events: '이벤트',
    slots: '슬롯',
    parts: 'CSS 파트',
    customProperties: '사용자 지정 속성',
    listens: '지금까지의 이벤트',
    does: '해 보기',
  },
};

const asked = new URLSearchParams(location.search).get('lang') ?? navigator.language;
const lang = asked.startsWith('ko') ? 'ko' : 'en';
const t = words[lang];

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const code = (text) => make('pre', { tabIndex: 0 }, make('code', { textContent: text }));
const link = (href, text, lang = '') => make('a', { href, textContent: text, lang });

/** The element that a line of HTML makes. */
function live(html) {
  return document.createRange().createContextualFragment(html).firstElementChild;
}

/** Counts an event and shows what its detail has. */
function listener(element, name) {
  const output = make('output', { textContent: `${t.listens}: 0` });
  let count = 0;
  element.addEventListener(name, ({ detail }) => {
    const { code, message, loaded, text, tokens, ms } = detail;
    const seen = Object.entries({ code, message, loaded, text, tokens, ms });
    const shown = seen.filter(([, value]) => ['string', 'number'].includes(typeof value));
    output.textContent = `${t.listens}: ${++count} ${JSON.stringify(Object.fromEntries(shown))}`;
  });
  return output;
}

/** A button that does what the line of JavaScript says. */
function doer(element, name, line) {
  const output = make('output');
  const onclick = () => {
    if (name === 'prompt') element.prompt = line.split("'")[1];
    else if (name === 'state') output.textContent = element.state;
    else element[name.slice(0, -2)]();
  };
  return make(
    'p',
    { className: 'try' },
    make('button', { type: 'button', textContent: t.does, onclick }),
    output,
  );
}

/** The rule for this element alone: the others keep their looks. */
function styled(element, rule, id) {
  element.dataset.styled = id;
  const own = rule.replace('kv-scope', `kv-scope[data-styled="${id}"]`);
  return make('style', { textContent: own });
}

function row(kind, [name, en, ko, html, line], index) {
  const id = `${kind}-${index}`;
  const element = live(html(lang));
  const extra = [];
  if (kind === 'events') extra.push(listener(element, name));
  if (kind === 'properties') extra.push(doer(element, name, line(lang)));
  if (kind === 'parts' || kind === 'customProperties') extra.push(styled(element, line(lang), id));
  const lines = [html(lang), line?.(lang)];
  if (kind === 'events') lines.push(`element.addEventListener('${name}', ({ detail }) => …)`);
  return make(
    'section',
    { id, className: 'row' },
    make('h3', {}, make('code', { textContent: name })),
    make('p', { textContent: lang === 'ko' ? ko : en }),
    code(lines.filter(Boolean).join('\n')),
    ...extra,
    element,
  );
}

document.documentElement.lang = lang;
document.title = `kvscope · ${t.title}`;
const [otherName, otherLang] = t.other;
document.body.prepend(
  make(
    'header',
    { className: 'site' },
    link(`./index.html?lang=${lang}`, 'kvscope'),
    link(`./article-${lang}.html`, t.article),
    link(`./docs.html?lang=${otherLang}`, otherName, otherLang),
  ),
);
document
  .querySelector('article')
  .replaceChildren(
    make('h1', { textContent: t.title }),
    make('p', { className: 'lead', textContent: t.lead }),
    make('p', { textContent: t.first }),
    code('<script type="module" src="kvscope.js"></script>'),
    ...Object.entries(table).flatMap(([kind, rows]) => [
      make('h2', { id: kind, textContent: t[kind] }),
      ...rows.map((entry, index) => row(kind, entry, index)),
    ]),
  );
