// The classes that web/src/worker/engine.ts declares, of the functions that bindings.cpp gives to
// Embind; Emscripten takes this file into its glue (--post-js). In quotes are the names that the
// closure compiler must not shorten.

/** What a call makes, by the call's name: its value is the new object's address. */
const MADE_BY = new Map([
  ['finish', 'EngineModel'],
  ['createSession', 'EngineSession'],
]);

// For bindings.cpp, whose text is UTF-8.
Module['encoder'] = new TextEncoder();
Module['decoder'] = new TextDecoder('utf-8', { ignoreBOM: true });

function errorOf(code, message) {
  const error = new Error(message);
  error['code'] = code;
  return error;
}

/** The functions named `kind`.method as methods; they take the object's address first. */
function objectOf(kind, address) {
  const object = {};
  for (const [name, call] of Object.entries(Module)) {
    const [ofKind, method] = name.split('.');
    if (ofKind !== kind) continue;
    object[method] = (...args) => {
      if (!address) return errorOf('closed', `This ${kind} is deleted.`);
      const value = call(address, ...args);
      if (method === 'delete') address = 0;
      if (value?.['code']) return errorOf(value['code'], value['message']);
      return MADE_BY.has(method) ? objectOf(MADE_BY.get(method), value) : value;
    };
  }
  return object;
}

// biome-ignore lint/complexity/useArrowFunction: it is called with new
Module['ModelLoader'] = function (precision, threads) {
  return objectOf('ModelLoader', Module['newLoader'](precision, threads));
};
