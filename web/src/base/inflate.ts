/** The text whose gzip is written here in base64. */
export async function inflateBase64(base64: string): Promise<string> {
  const bytes = Uint8Array.from(atob(base64.replace(/\s+/g, "")), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
