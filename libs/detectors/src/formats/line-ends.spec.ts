import fc from 'fast-check';
import { exchange } from '../../../../test/support/evidence';
import { outlineOf } from '../llms/llms.detector';
import { rpcMessage } from '../mcp/handshake/rpc';
import { readCutYaml, readYaml } from './yaml';

const LINE_ENDS = ['\n', '\r\n', '\r'] as const;

const MAP = ['# Example Shop', '', '> Sells lamps.', '', '## Docs', '- [API](https://example.com/api.md)', ''];
const DESCRIPTION = [
  'openapi: "3.1.0"',
  'info:',
  '  title: Lamps',
  '  version: "1"',
  'paths:',
  '  /lamps:',
  '    get: {}',
];
const EVENTS = [': hello', '', 'event: message', 'data: {"jsonrpc":"2.0",', 'data: "id":1,"result":{}}', '', ''];

/** The lines, each with its own line end. */
function written(lines: readonly string[], ends: readonly string[]): string {
  return lines.map((line, i) => (i === lines.length - 1 ? line : line + (ends[i % ends.length] ?? '\n'))).join('');
}

describe('line ends', () => {
  it('of all three kinds, also mixed, give the same llms.txt, description and event', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...LINE_ENDS), { minLength: 1, maxLength: 8 }), (ends) => {
        expect(outlineOf(written(MAP, ends))).toEqual(outlineOf(MAP.join('\n')));
        expect(readYaml(written(DESCRIPTION, ends))).toEqual(readYaml(DESCRIPTION.join('\n')));
        expect(readCutYaml(written(DESCRIPTION, ends))).toEqual(readCutYaml(DESCRIPTION.join('\n')));
        const stream = { headers: { 'content-type': 'text/event-stream' }, body: written(EVENTS, ends) };
        const answer = exchange('POST', 'https://shop.example.com/mcp', stream, '{}');
        expect(answer.kind === 'answer' && rpcMessage(answer)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
      }),
    );
  });
});
