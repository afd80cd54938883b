// Which members of a document its readers ask for, and which they do not.

/** "summary.cells[].cell": elements of a list have one path. */
function pathOf(path, name) {
  return path === "" ? name : `${path}.${name}`;
}

/**
 * The document, and what happens to it: `missing`, members that were asked for and are not there; `read`, paths of those that
 * were.
 */
export function watched(document) {
  const missing = new Set();
  const read = new Set();
  const wrap = (value, path) => {
    if (Array.isArray(value)) return value.map((element) => wrap(element, `${path}[]`));
    if (typeof value !== "object" || value === null) return value;
    return new Proxy(value, {
      get(target, name) {
        if (typeof name === "symbol") return target[name];
        const at = pathOf(path, name);
        (Object.hasOwn(target, name) ? read : missing).add(at);
        return wrap(target[name], at);
      },
    });
  };
  return { document: wrap(document, ""), missing, read };
}

/** Paths of all members, outermost alone where nothing of one was read. */
export function unread(document, read) {
  const found = new Set();
  const walk = (value, path) => {
    if (Array.isArray(value)) value.forEach((element) => walk(element, `${path}[]`));
    else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        const at = pathOf(path, name);
        if (read.has(at)) walk(member, at);
        else found.add(at);
      }
    }
  };
  walk(document, "");
  return found;
}

/** Paths of all members but those below the ones in `closed`. */
export function members(document, closed) {
  const found = new Set();
  const walk = (value, path) => {
    if (Array.isArray(value)) value.forEach((element) => walk(element, `${path}[]`));
    else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        const at = pathOf(path, name);
        found.add(at);
        if (!closed.has(at)) walk(member, at);
      }
    }
  };
  walk(document, "");
  return found;
}
