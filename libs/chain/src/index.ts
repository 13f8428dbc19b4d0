export * from './authorization-fate';
export type * from './chain-reader';
export { openTransferReader } from './open-transfer-reader';
export * from './receipt-verdict';
export * from './viem-authorization-reader';
export * from './viem-chain-reader';
export { walletReader } from './wallet-reader';
export type { BlockRange, TransferReader } from './viem-transfer-reader';
