export * from './accounts';
export * from './chains';
export * from './checked-accounts';
export * from './explorers';
export { GATEWAY_WALLETS, type Token } from './network-row';
export * from './networks';
