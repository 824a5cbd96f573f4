package dev.tandem.scheduler;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** The commands that Tandem's user needs in Redis, as docs/security.md lists them. A test compares the two. */
public final class RedisRights {

    private static final String OF_KEYS =
            "exists,del,unlink,expire,pexpire,pexpireat,pttl,memory|usage,get,getrange,set,setnx,"
                    + "strlen,getbit,setbit,bitcount,hdel,hexists,hget,hgetall,hincrby,hkeys,hlen,hmget,"
                    + "hrandfield,hscan,hset,hsetnx,hvals,lindex,llen,lpop,lrange,lrem,ltrim,rpush,sadd,"
                    + "smembers,spop,xadd,xrevrange,zadd,zcard,zcount,zlexcount,zmscore,zrange,zrangebylex,"
                    + "zrangebyscore,zrank,zrem,zremrangebyrank,zremrangebyscore,zrevrange,zrevrangebyscore,"
                    + "zrevrank,zscan,zscore";

    private static final String OF_CHANNELS = "publish,subscribe,unsubscribe";

    private static final String OF_NEITHER =
            "ping,time,info,config|get,script|load,eval,evalsha,wait,waitaof,client|setinfo";

    private static final String OF_CLUSTERS = "cluster|nodes,cluster|slots,cluster|myid,readonly,asking,client|setname";

    private RedisRights() {}

    /** Returns the commands, with {@code |} before a subcommand. @param cluster whether also those for a Redis Cluster */
    public static List<String> commands(boolean cluster) {
        return marked(cluster).map(each -> each.substring(1)).toList();
    }

    /** Returns the commands as the script takes them. */
    static byte[][] arguments(String channel, boolean cluster) {
        return Stream.concat(Stream.of(channel), marked(cluster))
                .map(each -> each.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
    }

    private static Stream<String> marked(boolean cluster) {
        return Stream.of(
                        mark("k", OF_KEYS),
                        mark("c", OF_CHANNELS),
                        mark("n", OF_NEITHER),
                        mark("n", cluster ? OF_CLUSTERS : ""))
                .flatMap(each -> each);
    }

    private static Stream<String> mark(String kind, String names) {
        return Stream.of(names.split(",")).filter(name -> !name.isEmpty()).map(name -> kind + name);
    }
}
