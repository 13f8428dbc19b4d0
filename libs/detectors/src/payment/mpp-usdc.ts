import { isAccount, networkById } from '@app/networks';
import { isObject, member, ownValue, text } from '../formats/json';
import { chainOf, lacking, lost, NOTHING, type MppTerms, type Stated } from './mpp-terms';
import { onEvm, onSolana } from './mpp-tokens';

/**
 * `methodDetails.type` selects the profile, whose details are in the field of that name: draft-usdc-charge-00. Flat
 * details are also read.
 */
export function onUsdc(stated: Stated): MppTerms {
  const type = text(member(stated.details, 'type')) ?? '';
  const own = member(stated.details, type);
  const profile = isObject(own) ? own : stated.details;
  const rules: Readonly<Record<string, () => MppTerms>> = {
    evm: () => usdcOnly(onEvm(stated, profile)),
    solana: () => {
      const isNamed = text(member(profile, 'network')) !== undefined;
      return lacking(usdcOnly(onSolana({ ...stated, details: profile })), [!isNamed && 'mpp_chain_missing']);
    },
    stacks: () => onStacks({ ...stated, details: profile }),
    gateway: () => onGateway({ ...stated, details: profile }),
  };
  const terms = ownValue(rules, type)?.();
  return terms ?? { ...NOTHING, symbol: 'USDC', missing: ['mpp_details_missing'] };
}

/** The method only transfers the network's own USDC. */
function usdcOnly(terms: MppTerms): MppTerms {
  return terms.token?.symbol === 'USDC' ? terms : { ...terms, token: undefined, symbol: null, usdDecimals: null };
}

/** The only Stacks token in the draft. */
const STACKS_USDC = 'SP120SBRBQJ00MCWS7TM5R8WJNTTKD5K0HFRC2CNE.usdcx::usdcx-token';

function onStacks({ currency, recipient, details }: Stated): MppTerms {
  const network = text(member(details, 'network'));
  const known = currency === STACKS_USDC;
  return {
    ...NOTHING,
    networkId: network === undefined ? null : network === 'mainnet' ? 'stacks:1' : 'stacks:2147483648',
    network: network === undefined ? undefined : { name: `Stacks ${network}`, testnet: network !== 'mainnet' },
    symbol: known ? 'USDCx' : null,
    usdDecimals: known ? 6 : null,
    missing: [
      ...(currency === '' ? ['mpp_currency_missing'] : []),
      ...(/^S[A-Z][0-9A-Z]{37,39}$/.test(recipient) ? [] : ['mpp_recipient_invalid']),
      ...(network === undefined ? ['mpp_chain_missing'] : []),
    ],
  };
}

/**
 * Circle Gateway: paid from any accepted network, received on the destination network; the currency is the word `usdc`.
 */
function onGateway({ currency, recipient, details }: Stated): MppTerms {
  const chain = chainOf(details);
  const networkId = text(member(details, 'destinationNetwork')) ?? (chain === undefined ? null : `eip155:${chain}`);
  const network = networkId === null ? undefined : networkById(networkId);
  const token = network?.assets?.find(({ symbol }) => symbol === 'USDC');
  const isUsdc = currency === 'usdc' || (token && currency.toLowerCase() === token.address.toLowerCase());
  const fits = isAccount(recipient, networkId ?? '') ?? recipient !== '';
  return {
    ...NOTHING,
    networkId,
    network,
    token: isUsdc ? token : undefined,
    symbol: isUsdc ? 'USDC' : null,
    usdDecimals: isUsdc ? 6 : null,
    missing: [
      ...(currency === '' ? ['mpp_currency_missing'] : []),
      ...(fits ? lost(recipient, token?.address ?? '') : ['mpp_recipient_invalid']),
      ...(networkId === null ? ['mpp_chain_missing'] : []),
    ],
  };
}
