export { BUCKET_VARIABLES } from './bucket-config';
export * from './config';
export { ConfigError, VARIABLES } from './environment';
export { given, type Variables } from './variables';
export type { FacilitatorConfig, PaymentsConfig } from './payments-config';
