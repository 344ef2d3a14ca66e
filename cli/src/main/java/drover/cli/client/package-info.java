/**
 * The connection to a server: its address, the API keys that authenticate the caller, and the stubs
 * of its services. Start with {@link drover.cli.client.DroverClient}, then {@link
 * drover.cli.client.ServerAddress}. Must not depend on commands or on picocli.
 */
@NullMarked
package drover.cli.client;

import org.jspecify.annotations.NullMarked;
