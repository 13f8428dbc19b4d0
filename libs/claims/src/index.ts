export * from './claim';
export * from './published';
