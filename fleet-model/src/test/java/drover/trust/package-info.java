/**
 * Tests of the permission rule for files with a secret. Start with {@link
 * drover.trust.SecretFilePermissionRulesTest}.
 */
@NullMarked
package drover.trust;

import org.jspecify.annotations.NullMarked;
