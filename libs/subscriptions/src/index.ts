export * from './sign-in';
export * from './subscription';
export * from './subscription-key';
