package drover.kit.tls;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Resolver of this machine that records of which addresses the name was looked up. */
public final class NameLookupRecorder extends InetAddressResolverProvider {
    private static final Set<InetAddress> ADDRESSES = ConcurrentHashMap.newKeySet();

    /** Addresses whose name was looked up in this process. */
    static Set<InetAddress> addresses() {
        return Set.copyOf(ADDRESSES);
    }

    @Override
    public InetAddressResolver get(Configuration configuration) {
        InetAddressResolver builtin = configuration.builtinResolver();
        return new InetAddressResolver() {
            @Override
            public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
                    throws UnknownHostException {
                return builtin.lookupByName(host, policy);
            }

            @Override
            public String lookupByAddress(byte[] address) throws UnknownHostException {
                ADDRESSES.add(InetAddress.getByAddress(address));
                return builtin.lookupByAddress(address);
            }
        };
    }

    @Override
    public String name() {
        return "recorder of name lookups";
    }
}
