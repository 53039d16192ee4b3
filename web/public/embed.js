// embed.html?prompt=…&view=…: the element alone, for an <iframe>. Tells the page around it how high it
// is: { type: 'kvscope-height', height } in CSS pixels, whenever that changes.
const ATTRIBUTES = [
  ...['src', 'prompt', 'view', 'max-tokens', 'temperature', 'seed'],
  ...['autoplay', 'loading', 'lang', 'threads', 'worker-src'],
];

function showAlone(asked) {
  const element = document.createElement('kv-scope');
  for (const name of ATTRIBUTES) {
    if (asked.has(name)) element.setAttribute(name, asked.get(name));
  }
  document.body.replaceChildren(element);
  const tell = () => {
    const height = Math.ceil(element.getBoundingClientRect().height);
    parent.postMessage({ type: 'kvscope-height', height }, '*');
  };
  new ResizeObserver(tell).observe(element);
}

const asked = new URLSearchParams(location.search);
if (asked.has('prompt')) {
  document.documentElement.classList.add('alone');
  document.documentElement.lang = asked.get('lang') ?? document.documentElement.lang;
  document.addEventListener('DOMContentLoaded', () => showAlone(asked));
}
