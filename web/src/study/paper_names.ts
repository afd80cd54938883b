// The paper's names of encodings, and the expressions that they are under each protocol.

interface PaperEncoding {
  clean: string;
  released: string;
}

const PAPER_ENCODINGS: Readonly<Record<string, PaperEncoding>> = {
  NoPE: { clean: "nope", released: "nope" },
  Absolute: { clean: "sinusoidal", released: "sinusoidal" },
  Random: { clean: "learned(init=1)", released: "learned(init=1)" },
  Relative: { clean: "relative", released: "relative" },
  ALiBi: { clean: "alibi", released: "alibi(slopes=released)" },
  RoPE: { clean: "rope", released: "rope" },
  "RoPE+Absolute": { clean: "sinusoidal+rope", released: "sinusoidal(layout=halves)+rope" },
  MLA: { clean: "mla", released: "learned(init=0)+mla(query=shared,table=released,norm=none)" },
};

/** `released_mla` is the released program of MLA: part of the released protocol. */
export function protocolGroup(protocol: string): string {
  return protocol.startsWith("released") ? "released" : protocol;
}

/** The paper's name of an expression, or null. */
export function paperName(encoding: string, protocol: string): string | null {
  const form = protocolGroup(protocol) === "released" ? "released" : "clean";
  for (const [name, forms] of Object.entries(PAPER_ENCODINGS)) {
    if (forms[form] === encoding) return name;
  }
  return null;
}

/** The clean expression of what a released one stands for; other expressions stand for themselves. */
export function cleanForm(encoding: string, protocol: string): string {
  const name = paperName(encoding, protocol);
  return name === null ? encoding : (PAPER_ENCODINGS[name]?.clean ?? encoding);
}
