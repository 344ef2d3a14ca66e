/**
 * Tests of downloads and restores of program files. Start with {@link
 * drover.opsagent.runtime.files.RestoreChecksFirstTest}.
 */
@NullMarked
package drover.opsagent.runtime.files;

import org.jspecify.annotations.NullMarked;
