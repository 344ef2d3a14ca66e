/** Tests of settings and secret files. Start with {@link drover.kit.config.SettingsTest}. */
@NullMarked
package drover.kit.config;

import org.jspecify.annotations.NullMarked;
