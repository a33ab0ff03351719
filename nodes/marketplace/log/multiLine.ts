import type { Pattern } from '../../shared/regex/filter';
import { removeColours } from './colours';
import { jsonObjectOf } from './entry';
import { LEVELS, levelOf } from './level';

const PYTHON_TRACEBACK = 'Traceback (most recent call last):';
const PYTHON_CHAIN =
	/^(?:During handling of the above exception, another exception occurred|The above exception was the direct cause of the following exception):$/;
/** `ValueError: …`, `KeyboardInterrupt`; the message may have lines of its own, which nothing tells from other entries. */
const PYTHON_EXCEPTION = /^[A-Za-z_][\w.]*(?::|$)/;
/** `java.lang.IllegalStateException: …`, as loggers write it below the message. */
const JAVA_EXCEPTION = /^(?:[\w$]+\.)+[\w$]*(?:Exception|Error|Throwable)(?::|$)/;
/** Indented in nearly every logger; these are known without it. */
const STACK_LINE =
	/^(?:Caused by: |Suppressed: |at (?:[\w$<>/@]+\.)+[\w$<>]+\(|\.\.\. \d+ (?:more|common frames omitted)|stack backtrace:$)/;
const GO_START = /^(?:panic: |fatal error: |goroutine \d+ .*\[)/;
const GO_STACK = /^goroutine \d+ .*\[/;
const GO_LINE = /^(?:\[signal |created by |exit status \d+$|runtime stack:$)/;
const CLOSING = /^[}\])]+[,;]?$/;
const INDENTED = /^[ \t]/;

/** What the lines before lead to: frames of a traceback, what may follow its exception, the next of a chain, Go's stacks. */
type Block = 'traceback' | 'afterTraceback' | 'chain' | 'goStack';

/**
 * Decides which lines of one log continue the entry before them. With a pattern of first lines, every line that does not match
 * it does; otherwise:
 * - lines that begin with a blank or a tab, and a closing bracket alone in its line after such a line;
 * - stack traces: `Caused by:`, `at com.foo.Bar(…)`, `... 12 more`, the goroutines of a Go panic;
 * - Python tracebacks to and including the line of the exception, and those that are chained to it;
 * - a traceback or a Java exception after an entry with the level of a warning and above, which is how loggers write it. After any
 *   other entry it begins one of its own, so that an error does not hide behind an info line.
 *
 * Nothing continues a line that is a whole JSON object: with more lines it would be none.
 *
 * The caller has the entry: where there is none before the line, or where it is full or was delivered already, the line
 * begins one in any case. The joiner keeps the kind of block and the first line of the entry.
 */
export class EntryJoiner {
	private block: Block | undefined;
	private isIndented = false;
	private hasTrace = false;
	private first = '';
	/** Whether that line is a whole JSON object; found out when a line would continue it. */
	private isFirstJson: boolean | undefined;

	/** @param firstLine matches the first line of each entry */
	constructor(private readonly firstLine?: Pattern) {}

	/** Whether a line continues the entry before it; to be called once for each line, in their order. */
	isContinuation(line: string): boolean {
		if (this.firstLine) return !this.firstLine.test(line);
		const text = removeColours(line).trimEnd();
		const isContinuation = this.continues(text) && !this.isJson();
		if (!isContinuation) this.begin(text);
		this.isIndented = INDENTED.test(text);
		return isContinuation;
	}

	private begin(text: string): void {
		this.first = text;
		this.isFirstJson = undefined;
		this.hasTrace = text === PYTHON_TRACEBACK || JAVA_EXCEPTION.test(text);
		this.block =
			text === PYTHON_TRACEBACK ? 'traceback' : GO_START.test(text) ? 'goStack' : undefined;
	}

	private continues(text: string): boolean {
		// Blank lines stand between chained tracebacks and between goroutines
		if (text === '') return this.block !== undefined;
		if (INDENTED.test(text) || (this.isIndented && CLOSING.test(text))) return true;
		if (text === PYTHON_TRACEBACK) return this.continuesWithTraceback();
		if (PYTHON_CHAIN.test(text)) return this.enter('chain');
		if (GO_STACK.test(text)) return this.enter('goStack');
		if (STACK_LINE.test(text)) return true;
		if (this.block === 'traceback' && PYTHON_EXCEPTION.test(text))
			return this.enter('afterTraceback');
		if (this.block === 'goStack' && isGoLine(text)) return true;
		return JAVA_EXCEPTION.test(text) && this.isTraceOfEntry();
	}

	private isJson(): boolean {
		this.isFirstJson ??= jsonObjectOf(this.first) !== undefined;
		return this.isFirstJson;
	}

	private continuesWithTraceback(): boolean {
		return (this.block === 'chain' || this.isTraceOfEntry()) && this.enter('traceback');
	}

	private enter(block: Block): true {
		this.block = block;
		return true;
	}

	/** Whether the entry may have this stack trace: it has none yet, and its level says that something is wrong. */
	private isTraceOfEntry(): boolean {
		if (this.hasTrace) return false;
		const level = levelOf(this.first);
		this.hasTrace = level !== undefined && LEVELS.indexOf(level) >= LEVELS.indexOf('warn');
		return this.hasTrace;
	}
}

/** `main.(*Server).run(0x1, …)`, or one of the lines around it. */
function isGoLine(text: string): boolean {
	const name = text.slice(0, Math.max(0, text.indexOf('(')));
	const isCall = text.endsWith(')') && (name === 'panic' || name.includes('.')) && !/\s/.test(name);
	return isCall || GO_LINE.test(text);
}
