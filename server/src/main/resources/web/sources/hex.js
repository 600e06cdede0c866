/** Hex dump: sixteen bytes a line, in hexadecimal and as characters. A pure function. */

const A_LINE = 16;

/**
 * Lines of a hex dump: {offset, bytes, text}, both lists with a part for each byte.
 *
 * @param hex two digits a byte
 */
export function lines(hex) {
  const bytes = hex.match(/../g) ?? [];
  return Array.from({ length: Math.ceil(bytes.length / A_LINE) }, (_, i) => {
    const part = bytes.slice(i * A_LINE, (i + 1) * A_LINE);
    return { offset: i * A_LINE, bytes: part, text: part.map(character) };
  });
}

function character(byte) {
  const code = Number.parseInt(byte, 16);
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : "·";
}
