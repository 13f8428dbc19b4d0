/** Parameters that several paid routes take, as directories read them (JSON Schema). */
export const DOMAIN = { type: 'string', description: 'Host name, for example shop.example.com' } as const;
export const EVM_ADDRESS = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' } as const;
