export * from './authorization-fate';
export type * from './chain-reader';
export { openTransferReader } from './open-transfer-reader';
export * from './receipt-verdict';
export * from './transfer-reader';
export * from './viem-authorization-reader';
export * from './viem-chain-reader';
