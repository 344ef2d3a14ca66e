/**
 * Obtains the signals of a program's health: values, never verdicts. Start with {@link
 * drover.opsagent.probe.Prober}. Knows nothing of attempts.
 */
@NullMarked
package drover.opsagent.probe;

import org.jspecify.annotations.NullMarked;
