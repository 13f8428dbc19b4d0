import { concat, parseEther, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { chainClient, mined } from '../../apps/standalone/src/embedded/embedded-chain';
import { stack } from './stack';

/** A contract that pays, and accepts its owner's signatures. */
export interface SmartWallet {
  readonly address: Address;
  readonly signTypedData: (message: SignableMessage) => Promise<Hex>;
  readonly signHash: (hash: Hex) => Promise<Hex>;
}

type Owner = ReturnType<typeof privateKeyToAccount>;
type SignableMessage = Parameters<Owner['signTypedData']>[0];

/**
 * Runtime code of a wallet whose only function is `isValidSignature(bytes32, bytes)` (EIP-1271): 65 bytes of ECDSA by
 * the owner, followed by anything. It passes hash, v, r and s of its calldata to ecrecover (precompile 1) and returns
 * 0x1626ba7e if the result is the owner, otherwise 0.
 */
const walletCode = (owner: Address): Hex =>
  concat([
    '0x600435600052', // memory[0x00] = hash
    '0x60a43560001a602052', // memory[0x20] = v, the first byte of the word at 0xa4
    '0x606435604052', // memory[0x40] = r
    '0x608435606052', // memory[0x60] = s
    '0x602060006080600060015afa50', // ecrecover(memory[0x00..0x80]) into memory[0x00]
    '0x60005173', // Compares with the owner.
    owner,
    '0x14631626ba7e0260e01b', // (equal * magic value) << 224
    '0x60005260206000f3', // Returns the result.
  ]);

/**
 * Deploys the wallet on the local chain. Its signatures have 66 bytes, so that they are not confused with those of a
 * key.
 */
export async function deploySmartWallet(): Promise<SmartWallet> {
  const owner = privateKeyToAccount(generatePrivateKey());
  const client = chainClient(stack().rpcUrl, 8453);
  await client.setBalance({ address: owner.address, value: parseEther('1') });
  const code = walletCode(owner.address);
  const length = `0x${((code.length - 2) / 2).toString(16).padStart(2, '0')}` as const;
  // Returns the data after its own eleven bytes as the contract's code.
  const data = concat(['0x60', length, '0x80600b6000396000f3', code]);
  const hash = await client.sendTransaction({ account: owner, data });
  const { contractAddress } = await mined(client, hash);
  if (!contractAddress) throw new Error('the wallet was not deployed');
  return {
    address: contractAddress,
    signTypedData: async (message) => concat([await owner.signTypedData(message), '0x00']),
    signHash: async (hash) => concat([await owner.sign({ hash }), '0x00']),
  };
}
