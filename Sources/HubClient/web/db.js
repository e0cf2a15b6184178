// What this device keeps, in IndexedDB. Everything that the person did is written with strict durability.

const STORES = { cache: "path", items: "id", queue: "number", facts: "key", drafts: "key", refused: "key", names: "local" };
let opened;

function request(of) {
  return new Promise((done, failed) => { of.onsuccess = () => done(of.result); of.onerror = () => failed(of.error); });
}

export function open() {
  opened ??= new Promise((done, failed) => {
    const asked = indexedDB.open("syncd", 1);
    asked.onupgradeneeded = () => { for (const [name, keyPath] of Object.entries(STORES)) asked.result.createObjectStore(name, { keyPath }); };
    asked.onsuccess = () => { asked.result.onversionchange = () => asked.result.close(); done(asked.result); };
    asked.onerror = () => failed(asked.error);
  });
  return opened;
}

/** One transaction: `work` gets the stores by name; what it returns comes back after everything is on the disk. */
export async function transaction(names, work, mode = "readwrite") {
  const db = await open();
  const t = db.transaction(names, mode, { durability: "strict" });
  const ended = new Promise((done, failed) => { t.oncomplete = done; t.onerror = t.onabort = () => failed(t.error ?? new Error("the browser could not save")); });
  const stores = Object.fromEntries([names].flat().map(n => [n, store(t.objectStore(n))]));
  let result;
  try { result = await work(stores); } catch (error) { t.abort(); await ended.catch(() => {}); throw error; }
  await ended;
  return result;
}

const store = s => ({
  get: key => request(s.get(key)), put: value => request(s.put(value)), delete: key => request(s.delete(key)),
  all: () => request(s.getAll()), clear: () => request(s.clear()),
});

export const get = (name, key) => transaction(name, s => s[name].get(key), "readonly");
export const all = name => transaction(name, s => s[name].all(), "readonly");
export const put = (name, value) => transaction(name, s => s[name].put(value));
export const remove = (name, key) => transaction(name, s => s[name].delete(key));
export const fact = async key => (await get("facts", key))?.value;
export const setFact = (key, value) => put("facts", { key, value });

/** Forgets everything: the hub revoked this device, or the person said so. */
export async function forget() {
  const db = await open();
  await transaction([...db.objectStoreNames], async s => { for (const one of Object.values(s)) await one.clear(); });
}
