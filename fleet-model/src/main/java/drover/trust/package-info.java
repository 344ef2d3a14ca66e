/**
 * Keys as PEM text, and the permission rule for files with a secret. Start with {@link
 * drover.trust.SecretFilePermissionRules} and {@link drover.trust.Pem}. Depends on the JDK alone,
 * and on neither {@code drover.trust.identity} nor {@code drover.trust.release}.
 */
@NullMarked
package drover.trust;

import org.jspecify.annotations.NullMarked;
