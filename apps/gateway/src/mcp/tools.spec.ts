import 'reflect-metadata';
import Ajv from 'ajv/dist/2020';
import { usd } from '../products/price';
import { isPaid, listedTool, TOOLS, type Tool } from './tools';

const INSTALLATION = { subscription: { price: usd('5'), days: 30 } };
const listed = (tool: Tool) => listedTool(tool, INSTALLATION);

const CHALLENGE = {
  error: 'Payment required: 0.02 USDC. Sign one of `accepts` and retry.',
  x402Version: 2,
  accepts: [{}],
};
const ajv = new Ajv({ strict: true, allowUnionTypes: true, formats: { date: true, 'date-time': true, uri: true } });

describe('the list of tools', () => {
  it('says that a POST to an endpoint may have side effects', () => {
    const { annotations, inputSchema } = listed(TOOLS.find(({ name }) => name === 'endpoint_health')!);
    expect(annotations.readOnlyHint).toBe(false);
    expect(inputSchema.properties).toMatchObject({
      method: { description: expect.stringContaining('POST') as string },
    });
  });

  it.each(TOOLS.map((tool) => [tool.name, tool] as const))('describes %s completely', (_, tool) => {
    const { title, description, annotations, inputSchema } = listed(tool);
    expect(annotations.title).toBe(title);
    for (const part of ['Price: ', 'Freshness: ', 'Failures', 'Use ']) expect(description).toContain(part);
    for (const name of inputSchema.required ?? []) expect(inputSchema.properties).toHaveProperty(name);
    expect(() => ajv.compile(inputSchema)).not.toThrow();
  });

  it.each(TOOLS.map((tool) => [tool.name, tool] as const))(
    'allows %s to answer with a failure, and with a challenge if it is paid',
    (_, tool) => {
      const holds = ajv.compile(listed(tool).outputSchema);
      expect(holds({ error: 'try again in a moment', code: 'busy', retryAfterSec: 5 })).toBe(true);
      expect(holds(CHALLENGE)).toBe(isPaid(tool));
      expect(holds({})).toBe(false);
    },
  );
});
