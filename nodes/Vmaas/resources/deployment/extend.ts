import { listOffers, offersOf } from '../../../marketplace/offers';
import { extend as extendProduct } from '../../../marketplace/operations/extend';
import { VMAAS } from '../../../marketplace/product';

/** The details do not say which of the words of a location is the code that the price takes: the one that its offers have. */
export const extend = extendProduct(VMAAS, async (context, hardwareId, [location]) => {
	const offers = offersOf(
		await context.once('offers', async () => await listOffers(context)),
		hardwareId,
	);
	const { id, iso2, name } = location!;
	const codes = [id, iso2, name].filter((code) => code !== undefined && code !== null).map(String);
	const code = codes.find((one) => offers.some((offer) => String(offer.location) === one));
	return [code ?? codes[0] ?? ''];
});
