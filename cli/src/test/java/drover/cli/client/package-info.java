/** Tests of the address of a server. Start with {@link drover.cli.client.ServerAddressTest}. */
@NullMarked
package drover.cli.client;

import org.jspecify.annotations.NullMarked;
