import { execFileSync } from 'node:child_process';
import { replayLine } from './replay';

const get = (url: string) => ({ method: 'GET', url });

describe('a curl line', () => {
  it('repeats a GET', () => {
    expect(replayLine(get('https://shop.example.com/llms.txt'))).toBe("curl -sSi 'https://shop.example.com/llms.txt'");
  });

  it('follows redirects if the prober did, and does not expand brackets', () => {
    expect(replayLine({ ...get('https://shop.example.com/{id}'), redirects: [] })).toBe(
      "curl -sSi -L --globoff 'https://shop.example.com/{id}'",
    );
  });

  it('repeats a POST with its body', () => {
    const evidence = { method: 'POST', url: 'https://shop.example.com/mcp', requestBody: '{"id":1}' };
    expect(replayLine(evidence)).toBe(
      `curl -sSi -X POST -H 'content-type: application/json' --data-raw '{"id":1}' 'https://shop.example.com/mcp'`,
    );
  });

  it('is not offered for a request that is quoted only in part', () => {
    expect(replayLine({ method: 'POST', url: 'https://shop.example.com/mcp', requestBody: '{"id…' })).toBeUndefined();
  });

  it('is not offered for anything but http', () => {
    expect(replayLine(get('file:///etc/passwd'))).toBeUndefined();
  });

  it('executes nothing from the URL', () => {
    const url = `https://shop.example.com/';echo ran;'$(echo ran)\`echo ran\``;
    const line = replayLine(get(url)) ?? '';
    // With printf in place of curl, the shell prints exactly one argument, unchanged.
    const printed = execFileSync('sh', ['-c', line.replace('curl -sSi', "printf '%s'")], { encoding: 'utf8' });
    expect(printed).toBe(url);
  });
});
