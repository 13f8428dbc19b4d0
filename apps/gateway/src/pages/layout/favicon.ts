/** Width and height in pixels. */
const SIZE = 32;
const HEADER_BYTES = 22;
const BITMAP_HEADER_BYTES = 40;
/** One bit per pixel. The format requires the mask although the pixels have an alpha channel. */
const MASK_BYTES = (SIZE / 8) * SIZE;
const [RING, DOT] = [14, 5.2];
const [ACCENT, WHITE] = [
  [0x0b, 0x5d, 0x57],
  [0xff, 0xff, 0xff],
] as const;

/** The site icon as ICO, a disc with a white dot, for clients that request `/favicon.ico` and do not read SVG. */
export function favicon(): Buffer {
  const pixels = SIZE * SIZE * 4;
  const file = Buffer.alloc(HEADER_BYTES + BITMAP_HEADER_BYTES + pixels + MASK_BYTES);
  file.writeUInt16LE(1, 2); // an icon
  file.writeUInt16LE(1, 4); // of one image
  file.set([SIZE, SIZE, 0, 0, 1, 0, 32, 0], 6);
  file.writeUInt32LE(file.length - HEADER_BYTES, 14);
  file.writeUInt32LE(HEADER_BYTES, 18);
  file.writeUInt32LE(BITMAP_HEADER_BYTES, 22);
  file.writeInt32LE(SIZE, 26);
  file.writeInt32LE(SIZE * 2, 30); // image and mask
  file.set([1, 0, 32, 0], 34);
  file.writeUInt32LE(pixels + MASK_BYTES, 42);
  for (let at = 0; at < SIZE * SIZE; at += 1) {
    const far = Math.hypot((at % SIZE) + 0.5 - SIZE / 2, Math.floor(at / SIZE) + 0.5 - SIZE / 2);
    const [red, green, blue] = far < DOT ? WHITE : ACCENT;
    const alpha = Math.round(Math.min(1, Math.max(0, RING + 0.5 - far)) * 255);
    file.set([blue, green, red, alpha], HEADER_BYTES + BITMAP_HEADER_BYTES + at * 4);
  }
  return file;
}
