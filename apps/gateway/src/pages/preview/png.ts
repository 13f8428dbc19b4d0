import { crc32, deflateSync } from 'node:zlib';

/** A picture of at most 256 colors; each pixel is the index of its color. */
export interface IndexedImage {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each color. */
  readonly palette: readonly (readonly [red: number, green: number, blue: number])[];
  readonly pixels: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Eight bits per pixel, palette colors, deflate, no filter, not interlaced. */
const INDEXED = [8, 3, 0, 0, 0];

/** The picture as PNG (https://www.w3.org/TR/png-3/). */
export function pngOf({ width, height, palette, pixels }: IndexedImage): Buffer {
  const head = Buffer.from([...uint32(width), ...uint32(height), ...INDEXED]);
  // Each row begins with the number of its filter: 0, none.
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row += 1) {
    rows.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  }
  const colors = Buffer.from(palette.flat());
  const chunks = [
    chunk('IHDR', head),
    chunk('PLTE', colors),
    chunk('IDAT', deflateSync(rows, { level: 3 })),
    chunk('IEND'),
  ];
  return Buffer.concat([SIGNATURE, ...chunks]);
}

function chunk(type: string, data = Buffer.alloc(0)): Buffer {
  const summed = Buffer.concat([Buffer.from(type), data]);
  return Buffer.concat([uint32(data.length), summed, uint32(crc32(summed))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
