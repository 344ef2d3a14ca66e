/**
 * Gets artifacts: bounded, resumed, and checked while they come. Start with {@link
 * drover.opsagent.fetch.Fetcher}. Knows nothing of programs or attempts.
 */
@NullMarked
package drover.opsagent.fetch;

import org.jspecify.annotations.NullMarked;
