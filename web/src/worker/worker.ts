// The engine's thread. One worker holds one engine; any number of models and sessions live in it.
import { KvScopeError } from '../api/errors';
import type { CacheUse, Progress } from '../api/types';
import { checkArgument, savedBytes, stopStrings } from './arguments';
import { type BootedEngine, boot } from './boot';
import { renderChat } from './chat';
import type { EngineModel, EngineSession, ModelLoader } from './engine';
import { describeFailure, Fatal, unwrap } from './failure';
import { Fingerprint } from './fingerprint';
import { Handles } from './handles';
import { type LoadContext, type Loaded, loadBlob, loadUrl } from './load';
import { Pieces } from './pieces';
import type {
  Args,
  FileUrls,
  Handle,
  LoadedModel,
  OpName,
  Reply,
  Request,
  Result,
} from './protocol';
import { encode, prefill } from './sessions';
import { SharedLoads } from './shared-loads';

interface OpenSession {
  session: EngineSession;
  model: EngineModel;
  pieces: Pieces;
}

type Handler<O extends OpName> = (
  args: Args<O>,
  context: LoadContext,
) => Result<O> | Promise<Result<O>>;

const models = new Handles<EngineModel>('model');
const loaders = new Handles<ModelLoader>('load');
const sessions = new Handles<OpenSession>('session');
const fingerprints = new WeakMap<object, string>();
const downloads = new SharedLoads<Loaded>();
/** Models that are still being written down for the next visit. */
const keeping = new Map<Handle, Promise<CacheUse>>();
let booted: Promise<BootedEngine> | undefined;
let files: FileUrls | undefined;

async function newLoader(precision: 'fast' | 'high'): Promise<ModelLoader> {
  const { engine, threads } = await booted!;
  const loader = new engine.ModelLoader(precision, threads);
  const fingerprint = new Fingerprint();
  return {
    push(chunk) {
      fingerprint.push(chunk);
      return loader.push(chunk);
    },
    finish() {
      const model = loader.finish();
      fingerprints.set(model, fingerprint.value);
      return model;
    },
    delete: () => loader.delete(),
  };
}

function opened(model: EngineModel, cache: CacheUse = 'off'): LoadedModel {
  const chat = model.chatTemplate().template !== '';
  const fingerprint = fingerprints.get(model)!;
  return { model: models.add(model), info: { ...model.info(), fingerprint, chat, cache } };
}

async function load(
  precision: 'fast' | 'high',
  read: (loader: Promise<ModelLoader>) => Promise<EngineModel>,
): Promise<EngineModel> {
  const loader = newLoader(precision);
  loader.catch(() => {}); // whoever reads awaits it, perhaps only after the server has answered
  try {
    return await read(loader);
  } finally {
    loader.then((made) => made.delete()).catch(() => {});
  }
}

function idsOf(input: string | Int32Array, model: EngineModel, append: boolean): Int32Array {
  return typeof input === 'string' ? encode(model, input, true, append ? 'never' : 'auto') : input;
}

const handlers: { [O in OpName]: Handler<O> } = {
  async boot({ build, threads, files: given }) {
    files = given;
    booted = boot(build, threads, files);
    const engine = await booted;
    return { build: engine.build, threads: engine.threads };
  },

  async loadUrl({ url, precision, cache }, context) {
    const loaded = await downloads.get(`${precision} ${cache} ${url}`, context, (context) =>
      loadUrl((read) => load(precision, read), url, cache, context),
    );
    const model = opened(loaded.model, loaded.cache);
    if (loaded.kept) keeping.set(model.model, loaded.kept);
    return model;
  },
  async cacheUse({ model }) {
    const use = await keeping.get(model);
    keeping.delete(model);
    return use ?? 'off';
  },
  loadBlob: async ({ blob, precision }, context) =>
    opened(await load(precision, (loader) => loadBlob(loader, blob, context))),
  loadBegin: async ({ precision }) => ({ loader: loaders.add(await newLoader(precision)) }),
  loadPush: ({ loader, chunk }) => unwrap(loaders.get(loader).push(chunk)),
  loadFinish: ({ loader }) => opened(unwrap(loaders.get(loader).finish())),
  loadCancel: ({ loader }) => loaders.remove(loader)?.delete(),

  tokenize({ model: handle, text, special, bos }) {
    const model = models.get(handle);
    checkArgument(typeof bos === 'string', 'bos', bos, "'auto', 'always' or 'never'");
    const ids = encode(model, text, special, bos);
    return Array.from(ids, (id) => {
      const { text, bytes, special } = unwrap(model.piece(id));
      return { id, text, bytes, special };
    });
  },
  detokenize: ({ model, ids }) => unwrap(models.get(model).detokenize(ids)),
  applyChatTemplate: ({ model, messages, addGenerationPrompt }) =>
    renderChat(models.get(model), messages, addGenerationPrompt, files?.jinja),
  closeModel({ model }) {
    models.remove(model)?.delete();
  },

  createSession({ model: handle, contextLength, kvType, kvCache }) {
    const model = models.get(handle);
    const session = unwrap(model.createSession(contextLength, kvType, kvCache));
    return {
      session: sessions.add({ session, model, pieces: new Pieces(model) }),
      layout: session.kvLayout(),
      state: session.state(),
    };
  },
  async prefill({ session: handle, input, append }, { signal, progress }) {
    const { session, model, pieces } = sessions.get(handle);
    const ids = idsOf(input, model, append);
    const result = await prefill(session, ids, append, signal, progress);
    return { result, state: session.state(), pieces: pieces.ofCandidates(result.candidates) };
  },
  generateNext({ session: handle, maxSteps, budgetMs, begin }) {
    const { session, pieces } = sessions.get(handle);
    if (begin) {
      unwrap(session.generateBegin({ ...begin, stop: stopStrings(begin.stop) }));
    }
    const steps = unwrap(session.generateSteps(maxSteps, budgetMs));
    return { ...steps, pieces: pieces.ofSteps(steps) };
  },
  generateRewind({ session, steps }) {
    unwrap(sessions.get(session).session.generateRewind(steps));
  },
  generateEnd({ session: handle, steps }) {
    const { session } = sessions.get(handle);
    unwrap(session.generateRewind(steps));
    return { text: session.generateEnd(), state: session.state() };
  },
  inspect: ({ session, layer, head, position }) =>
    unwrap(sessions.get(session).session.inspect(layer, head, position)),
  logits({ session }) {
    const logits = sessions.get(session).session.logits();
    if (logits) return logits;
    throw new KvScopeError('bad-state', 'There are no logits yet: call prefill() first.');
  },
  score({ session: handle, input }) {
    const { session, model } = sessions.get(handle);
    const logProbabilities = unwrap(session.score(idsOf(input, model, false)));
    return { logProbabilities, state: session.state() };
  },
  tokens: ({ session }) => sessions.get(session).session.tokens(),
  state: ({ session }) => sessions.get(session).session.state(),
  truncate({ session: handle, tokens }) {
    const { session } = sessions.get(handle);
    unwrap(session.truncate(tokens));
    return session.state();
  },
  save: ({ session }) => sessions.get(session).session.save(),
  restore({ session: handle, bytes }) {
    const { session } = sessions.get(handle);
    unwrap(session.restore(savedBytes(bytes)));
    return session.state();
  },
  closeSession({ session }) {
    sessions.remove(session)?.session.delete();
  },
};

const running = new Map<number, AbortController>();
/** After a trap the heap cannot be trusted; the page ends this worker as soon as it hears of it. */
let dead = false;

async function answer(id: number, op: OpName, args: unknown): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  const progress = (progress: Progress) => post({ id, progress });
  try {
    const handler = handlers[op] as (args: unknown, context: LoadContext) => unknown;
    const result = await handler(args, { signal: controller.signal, progress });
    post({ id, result }, transferables(result));
  } catch (error) {
    fail(id, error);
  } finally {
    running.delete(id);
  }
}

function fail(id: number, error: unknown): void {
  try {
    post({ id, error: describeFailure(error) });
  } catch (fatal) {
    if (!(fatal instanceof Fatal)) throw fatal;
    dead = true;
    console.error('kvscope: the engine stopped.', error);
    post({ fatal: fatal.reply });
  }
}

/** Large arrays move to the page instead of being copied. All of them are the worker's own copies. */
function transferables(result: unknown): Transferable[] {
  return result instanceof Uint8Array || result instanceof Float32Array
    ? [result.buffer as ArrayBuffer]
    : [];
}

function post(reply: Reply, transfer: Transferable[] = []): void {
  if (dead && !('fatal' in reply)) return;
  self.postMessage(reply, { transfer });
}

self.addEventListener('message', ({ data }: MessageEvent<Request>) => {
  if (dead) return;
  if ('abort' in data) running.get(data.abort)?.abort();
  else void answer(data.id, data.op, data.args);
});
