export * from './challenge';
export * from './errors';
export * from './facilitator';
export * from './ledger';
export * from './networks';
export * from './price-list';
export * from './proof';
export * from './usdc';
