export * from './authorization-fate';
export * from './chain-reader';
export * from './receipt-verdict';
export * from './viem-authorization-reader';
export * from './viem-chain-reader';
