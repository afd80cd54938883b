import { element } from "./dom.ts";

/** Offers `content` as a file. */
export function download(name: string, type: string, content: BlobPart): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = element("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The bytes of a data: address. */
export function bytesOf(address: string): Uint8Array<ArrayBuffer> {
  const comma = address.indexOf(",");
  const body = address.slice(comma + 1);
  if (address.slice(0, comma).endsWith(";base64")) {
    return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  }
  return new TextEncoder().encode(decodeURIComponent(body));
}
