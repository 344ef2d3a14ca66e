/**
 * Rules of the test suite, and the summary that CI prints after it. Start with {@link
 * drover.standalone.ci.FullSuiteTest}. Depends on no code of Drover.
 */
@NullMarked
package drover.standalone.ci;

import org.jspecify.annotations.NullMarked;
