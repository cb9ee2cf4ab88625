import assert from 'node:assert/strict';
import test from 'node:test';
import { Chaskey } from '../../../src/core/identity/chaskey.ts';

const key = [0x833d3433, 0x009f389f, 0x2398e64f, 0x417acf39];

/** Tags of the messages 00 01 02 … of that length, from public Chaskey-12 test vectors (four words each). */
const vectors: Record<number, string> = {
  0: '43cb1f41 51eba0c2 ff0a8ac3 7ee3f642',
  1: 'f9ac2067 9c35a846 441aad3d 777b7330',
  2: '57da70c5 2a873cb0 19ee8b2a 165cd82e',
  3: '8c5e6ab9 5035adfb bff69f98 965516d9',
  4: '0b2b62db 1e9e3f50 a1b8dcad b4279ae0',
  7: 'b7d29cb8 40a2819d ae403cdb 6fbefa95',
  8: '9faf57d6 f4bc02cf 6af6d831 d2930d90',
  12: 'c040258c f25392c0 9f6b5dc0 35c3d638',
  15: '03cfb44b 283c8163 fca71448 c40a0aea',
  16: '5dd0e2a9 fb5eac8c 633a392e 500c36f3',
  17: '8b5f6d5a 202314f6 22092368 9639e606',
  31: '1d3d30b1 01d74fca 3b2eb54c d8cd36b4',
  32: '77962784 07c647fa dd752c0f d2f5a799',
  33: 'd74bb867 2c0dfb3a b697e9cd 5658edda',
  48: 'f36e748b 8f34677f 1e00ba1b dd7da46d',
  63: '2dd072e1 42b89efe fb26b615 049aa451',
};

for (const [length, expected] of Object.entries(vectors)) {
  test(`the tag of a message of ${length} bytes is the published one`, () => {
    const byteLength = Number(length);
    const words = new Int32Array(16);
    for (let i = 0; i < byteLength; i++) words[i >> 2] |= i << ((i & 3) << 3);
    const tag = new Uint32Array(6);
    new Chaskey(key).tag(words, byteLength, tag, 1);
    assert.equal(
      [...tag.subarray(1, 5)].map((word) => word.toString(16).padStart(8, '0')).join(' '),
      expected,
    );
    assert.deepEqual([tag[0], tag[5]], [0, 0]);
  });
}
