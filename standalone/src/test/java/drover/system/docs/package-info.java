/**
 * Tests that keep the documentation equal to the code: links, log keys, metrics and the coverage
 * table. Start with {@link drover.system.docs.CoverageTest}.
 */
@NullMarked
package drover.system.docs;

import org.jspecify.annotations.NullMarked;
