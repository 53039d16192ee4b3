// Texts of an exact number of tokens, so that engines that take ids and engines that take text do
// the same work.

/** A small linear congruential generator: the same texts in every run. */
function random(seed) {
  let state = (seed * 2654435761) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Words of the vocabulary, each with its blank in front: [{ id, text }]. */
export async function singleTokenWords(model) {
  const count = Math.min(model.info.vocabSize, 4000);
  const words = [];
  for (let id = 0; id < count && words.length < 400; id++) {
    const text = await model.detokenize([id]);
    if (!/^ ?(\p{Ll}{3,}|\p{Script=Hangul}{1,})$/u.test(text)) continue;
    const word = ` ${text.trimStart()}`;
    const tokens = await model.tokenize(`a${word}`, { bos: 'never' });
    if (tokens.length === 2 && tokens[1].id === id) words.push({ id, text: word });
  }
  if (words.length < 20)
    throw new Error(`only ${words.length} words of the vocabulary are one token`);
  return words;
}

/** Throws when the text does not have exactly so many tokens. */
export async function makePrompt(model, words, tokens, seed) {
  const next = random(seed);
  let text = '';
  for (let i = 0; i < tokens; i++) text += words[next(words.length)].text;
  const ids = (await model.tokenize(text)).map(({ id }) => id);
  if (ids.length !== tokens) {
    // A token for the beginning, or a blank of its own: that many words less.
    const excess = ids.length - tokens;
    const shorter = text
      .split(' ')
      .slice(0, tokens + 1 - excess)
      .join(' ');
    const again = (await model.tokenize(shorter)).map(({ id }) => id);
    if (again.length !== tokens) throw new Error(`${again.length} tokens instead of ${tokens}`);
    return { ids: again, text: shorter };
  }
  return { ids, text };
}
