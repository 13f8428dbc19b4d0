export { BUCKET_VARIABLES } from './bucket-config';
export * from './config';
export { unknownVariables } from './unknown-variables';
export { given, type Variables } from './variables';
export type { FacilitatorConfig, PaymentsConfig } from './payments-config';
