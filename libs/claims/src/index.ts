export * from './claim';
export * from './claim-key';
export * from './notes';
export * from './published';
export * from './statement';
export * from './zone';
