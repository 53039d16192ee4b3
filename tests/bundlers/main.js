// The same program for every bundler. Importing kvscope defines <kv-scope> too.
import { loadModel } from 'kvscope';

const model = await loadModel(new URL('/test-files/wide-chat.gguf', location.href), { threads: 2 });
const prompt = await model.applyChatTemplate([{ role: 'user', content: 'the sea' }]);
const { build, threads } = model.info;
model.close();
document.querySelector('#answer').textContent = JSON.stringify({ prompt, build, threads });
