/**
 * Rules of the code base and of the test suite, and the summary that CI prints after its tests.
 * Start with {@link drover.system.build.ArchitectureTest}, then {@link
 * drover.system.build.FullSuiteTest}. {@link drover.system.build.SuiteReport} runs from its source
 * file and depends on the JDK only.
 */
@NullMarked
package drover.system.build;

import org.jspecify.annotations.NullMarked;
