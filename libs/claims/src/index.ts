export * from './claim';
export * from './claim-key';
export * from './published';
export * from './statement';
export * from './zone';
