package drover.kit.grpc;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;

/** How one kind of neighbour is dialled: plain, or with both ends proven. */
@FunctionalInterface
public interface ChannelFactory {
    /** Without any proof. */
    ChannelFactory PLAINTEXT = Channels::open;

    /** A channel to the neighbour's door at this address; whoever asks closes it. */
    ManagedChannel open(Address address, ClientInterceptor... interceptors);
}
