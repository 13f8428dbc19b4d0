export * from './authorization-fate';
export * from './chain-reader';
export * from './receipt-verdict';
export * from './transfer-reader';
export * from './viem-authorization-reader';
export * from './viem-chain-reader';
export * from './viem-transfer-reader';
