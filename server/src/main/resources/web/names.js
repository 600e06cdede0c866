/** Names of IP protocols and well-known ports, as in the filter language. Pure functions. */

const PROTOCOLS = {
  0: "hopopt", 1: "icmp", 2: "igmp", 3: "ggp", 4: "ipip", 5: "st", 6: "tcp", 8: "egp", 9: "igp", 17: "udp",
  33: "dccp", 41: "ipv6", 43: "ipv6-route", 44: "ipv6-frag", 46: "rsvp", 47: "gre", 50: "esp", 51: "ah",
  58: "ipv6-icmp", 59: "ipv6-nonxt", 60: "ipv6-opts", 88: "eigrp", 89: "ospf", 97: "etherip", 103: "pim",
  108: "ipcomp", 112: "vrrp", 115: "l2tp", 124: "isis", 132: "sctp", 133: "fc", 136: "udplite", 137: "mpls-in-ip",
  142: "rohc",
};

const PORTS = {
  7: "echo", 9: "discard", 19: "chargen", 20: "ftp-data", 21: "ftp", 22: "ssh", 23: "telnet", 25: "smtp", 37: "time",
  43: "whois", 49: "tacacs", 53: "dns", 67: "dhcp", 68: "bootpc", 69: "tftp", 70: "gopher", 79: "finger", 80: "http",
  88: "kerberos", 110: "pop3", 111: "sunrpc", 119: "nntp", 123: "ntp", 137: "netbios-ns", 138: "netbios-dgm",
  139: "netbios-ssn", 143: "imap", 161: "snmp", 162: "snmptrap", 179: "bgp", 194: "irc", 389: "ldap", 443: "https",
  445: "smb", 465: "submissions", 500: "ike", 514: "syslog", 515: "printer", 520: "rip", 587: "submission",
  631: "ipp", 636: "ldaps", 646: "ldp", 853: "dot", 873: "rsync", 993: "imaps", 995: "pop3s", 1080: "socks",
  1194: "openvpn", 1433: "ms-sql-s", 1434: "ms-sql-m", 1701: "l2tp", 1723: "pptp", 1812: "radius",
  1813: "radius-acct", 1900: "ssdp", 2049: "nfs", 2055: "netflow", 2123: "gtp-c", 2152: "gtp-u", 3306: "mysql",
  3389: "rdp", 3478: "stun", 4500: "ipsec-nat-t", 4739: "ipfix", 4789: "vxlan", 5060: "sip", 5061: "sips",
  5222: "xmpp-client", 5353: "mdns", 5432: "postgresql", 5672: "amqp", 5683: "coap", 5900: "vnc", 6081: "geneve",
  6343: "sflow", 6379: "redis", 6667: "ircd", 6881: "bittorrent", 8080: "http-alt", 8443: "https-alt", 9092: "kafka",
  9418: "git", 11211: "memcached", 27017: "mongodb", 27960: "quake", 51820: "wireguard",
};

const FIRST_REGISTERED = 1_024;
const WITH_PORTS = ["6", "17", "33", "132", "136"]; // protocols with ports

/** The name of a protocol by its number, or null. */
export const protocol = (number) => PROTOCOLS[number] ?? null;

/** The name of a port by its number, or null. */
export const port = (number) => PORTS[number] ?? null;

/** A value with its name: "tcp", "443 https"; other values as labelled. `proto` is the key of the protocol, if known. */
export function named(column, key, label = key, proto = null) {
  if (key == null) return label;
  if (column === "proto") return protocol(key) ?? label;
  const isPort = /(^|_)port$/.test(column) && label === key && (proto == null || WITH_PORTS.includes(proto));
  return isPort && port(key) ? `${key} ${port(key)}` : label;
}

/**
 * SQL condition that the port of a side belongs to the service: the well-known one (below 1024, or with a name here), or else the
 * lower one.
 *
 * @param side "src" or "dst"
 */
export function isService(side) {
  const own = `${side}_port`;
  const other = side === "src" ? "dst_port" : "src_port";
  return `proto IN (${WITH_PORTS.join(", ")}) AND CASE WHEN ${isWellKnown(own)} = ${isWellKnown(other)} THEN ${own} <= ${other} ELSE ${isWellKnown(own)} END`;
}

/** SQL condition that a column holds a well-known port. */
export function isWellKnown(column) {
  const registered = Object.keys(PORTS).filter((number) => number >= FIRST_REGISTERED);
  return `(${column} < ${FIRST_REGISTERED} OR ${column} IN (${registered.join(", ")}))`;
}
