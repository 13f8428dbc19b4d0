import { homeOf } from '../evidence/home-and-robots';
import { ABSENT, type SignalDefinition } from './signal';

const HEAD_CHARS = 262_144;

/**
 * WebMCP: tools that a page offers to the agent in the browser, https://webmachinelearning.github.io/webmcp/. Tools that are
 * registered by a bundle cannot be seen in the page.
 */
export const webmcp: SignalDefinition = {
  id: 'webmcp',
  draft: true,
  judge(seen) {
    const home = homeOf(seen);
    if (!home) return undefined;
    const page = home.body.slice(0, HEAD_CHARS);
    const at = home.finalUrl;
    if (/<form\s[^<>]{0,1000}\btoolname\s*=/i.test(page) || page.includes('document.modelContext.registerTool')) {
      return { status: 'valid', at };
    }
    return page.includes('navigator.modelContext') ? { status: 'valid', at, note: 'legacy' } : ABSENT;
  },
};
