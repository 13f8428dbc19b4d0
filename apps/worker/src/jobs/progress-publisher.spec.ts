import { DETECTORS, protocolsAskingFor } from '@app/detectors';
import type { RunProgress } from '@app/storage';
import { ProgressPublisher } from './progress-publisher';

function toldOf(steps: (progress: ProgressPublisher) => void): readonly RunProgress[] {
  const told: RunProgress[] = [];
  const progress = new ProgressPublisher((far) => {
    told.push(far);
    return Promise.resolve();
  });
  steps(progress);
  progress.end();
  return told;
}

describe('the progress of a run', () => {
  it('contains each protocol once, at the latest when the next phase starts', () => {
    const told = toldOf((progress) => {
      progress.reached('presence');
      for (const path of ['/llms.txt', '/.well-known/ucp', '/llms.txt']) progress.asksFor(path);
      progress.reached('signals');
      progress.reached('callability');
      progress.asksFor('/llms.txt');
    });
    expect(told[0]?.protocols).toEqual([...protocolsAskingFor('/llms.txt'), 'ucp', 'ap2']);
    expect(told[1]).toEqual({ phase: 'callability', protocols: [] });
    expect(told).toHaveLength(2);
  });

  it('does not depend on what a host declares: paths from its answers are not reported', () => {
    const asked = DETECTORS.flatMap(({ probes }) => probes.map(({ url }) => url));
    const told = (declared: readonly string[]) =>
      toldOf((progress) => {
        for (const path of [...asked, ...declared]) progress.asksFor(path);
        progress.reached('callability');
        for (const path of declared) progress.asksFor(path);
      });
    expect(told(['/api/mcp', '/paid/weather', '/a2a'])).toEqual(told([]));
  });
});
