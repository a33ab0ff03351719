/**
 * A clock that counts the milliseconds which this process really had: ticks of a timer. A busy machine gives a process no
 * ticks for a while, so this tells how long something waits, and not how busy the machine is.
 * @returns the count so far; asking for it ends the clock
 */
export function ownMilliseconds(): () => number {
	let ticks = 0;
	const timer = setInterval(() => ticks++, 1);
	return () => {
		clearInterval(timer);
		return ticks;
	};
}
